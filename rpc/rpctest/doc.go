// Package rpctest tests what speaks through package rpc: in-memory connections,
// and transcripts, text files that are played against a connection or a started
// process. It does not know what messages mean and holds no editor; the frames are
// read and written by its own code, so that a fault of package rpc cannot hide in
// both ends.
//
// # Transcripts
//
// A transcript is a text file of one directive per line. A line that begins with a
// blank or a tab continues the one before. Empty lines and lines beginning with #
// are comments.
//
//	> {"id":1,"method":"initialize","params":{}}   send a message; "jsonrpc":"2.0" is added if missing
//	>split {"id":2,"method":"shutdown"}            the same, written byte by byte
//	>body "{\"id\":3,"                             send any body with a right header
//	>fill 67108865                                 send a body of so many blanks
//	>raw "Content-Length: -1\r\n\r\n"              write bytes as they are
//	>eof                                           close the input
//	< {"id":1,"result":{"serverInfo":"$object"}}   expect a message
//	<                                              expect any message, to be filled in by update
//	= exit 0                                       expect the end, with this code
//	= stderr empty                                 after the end: nothing was written to stderr
//	= stderr "Content-Length"                      after the end: one line was written, with this in it
//
// Quoted strings have Go's syntax.
//
// # Expectations
//
// Consecutive < lines are a block: its messages may arrive in any order, among
// others. A message is claimed by the first open line of the block that matches it;
// one that nothing claims stays for later blocks. Notifications and requests that
// are never claimed are ignored; an answer that is never claimed is a failure, for
// every answer has been asked for. To expect silence, ask something afterwards.
//
// An expected object matches an object that has its members and perhaps more. An
// array matches element by element; a last element "$more" leaves the rest open.
// Numbers match digit by digit. These strings stand for values:
//
//	"$any" "$string" "$number" "$bool" "$object" "$array"   any value, or any of the kind
//	"$absent"                                               as a member: the member is missing
//	"$match ^[a-z]+$"                                       a string that matches the regular expression
//	"${name}"                                               binds the value to a name; once bound, the same value
//
// In what is sent, names of members too, and within longer strings, "${name}" is
// replaced by the bound value, in a regular expression literally. Names may be
// bound beforehand ([PlayOptions.Vars]).
//
// # Update and replay
//
// With [PlayOptions.Update] a line that does not match is rewritten to the message
// that answers the same id or has the same method, and an empty < line to the next
// message; the file is saved. With [PlayOptions.Replay] lines match by direction,
// id, method and error code alone, one notification stands for all of its method
// in a block, and the ids of requests from Pillion and the names that it makes, such
// as those of questions, are translated: so a file written by "--trace"
// ([rpc.NewTracer]) becomes a test.
package rpctest
