package message

// Direction says who sends a message and whether it is answered.
//
//pillion:go
type Direction string

const (
	DirectionRequest       Direction = "request"       // editor to Pillion, answered
	DirectionNotification  Direction = "notification"  // editor to Pillion, one way
	DirectionEditorRequest Direction = "editorRequest" // Pillion to editor, answered
	DirectionEvent         Direction = "event"         // Pillion to editor, one way
	DirectionCommand       Direction = "command"       // editor to Pillion by workspace/executeCommand
)

// Declared is what is known of one declared message without its types: for
// tables, completions and tests.
//
//pillion:go
type Declared struct {
	Name          string    // Go name of the declaration
	Method        string    // method, or name of the command
	Direction     Direction // who sends it
	Doc           string    // its documentation, whole, without the name that it begins with
	ForPeopleOnly bool      // whether it shows or changes what is trusted, so that agents never reach it (S6)
}
