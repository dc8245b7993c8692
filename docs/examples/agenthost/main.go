// Command agenthost is a whole host of a model in one page: its model is a script on standard input, a line for each action,
// "TOOL ARGUMENTS", and the last line is the word done. It shows what a chat plugin does with Pillion; it is no agent to use.
//
//	agenthost PILLION FOLDER ANSWER < script
//
// ANSWER is what the person says to every approval: decline, once or session.
package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"strings"

	"pillion/rpc"
	"pillion/rpc/message"
)

func main() {
	pillion := exec.Command(os.Args[1], "--stdio")
	pillion.Stderr = os.Stderr
	in, out := must(pillion.StdinPipe()), must(pillion.StdoutPipe())
	must(0, pillion.Start())
	router := rpc.NewRouter()
	conn := rpc.NewConn(out, in, router, rpc.Options{})
	rpc.HandleNotification(router, rpc.Notification[message.AsksChangedParams](message.AsksChanged), func(_ context.Context, p message.AsksChangedParams) {
		for _, question := range p.Opened {
			answer := must(rpc.Marshal(message.ApprovalAnswer{Decision: message.ApprovalChoice(os.Args[3])}))
			fmt.Printf("? %s\n", question.Body) // a plugin shows it, in a window of its editor
			go ask(conn, message.AskAnswer, message.AskAnswerParams{AskID: question.AskID, Answer: answer})
		}
	})
	go conn.Serve(context.Background())
	ask(conn, rpc.Request[map[string]any, map[string]any]{Method: "initialize"}, map[string]any{
		"processId": os.Getpid(), "rootUri": "file://" + os.Args[2],
		"capabilities": map[string]any{"experimental": map[string]any{"pillion": map[string]any{"protocol": []int{1}, "asks": []string{"approval"}}}},
	})
	must(0, rpc.Notify(conn, rpc.Event[message.Empty]{Method: "initialized"}, message.Empty{}))
	for _, connector := range ask(conn, message.Connectors, message.Empty{}).Connectors {
		if connector.State == message.ConnectorStarting { // for the first time, so that nothing of it is known yet
			ask(conn, message.ConnectorStart, message.ConnectorParams{Connector: message.ConnectorRef(connector.ID)})
		}
	}

	// The system prompt is sent once and cached; what is down stands in the message of a turn.
	prompt := ask(conn, message.AgentPrompt, message.AgentPromptParams{})
	fmt.Printf("%s%s(%d tokens)\n", prompt.Text, prompt.Now, prompt.Tokens)

	for model := bufio.NewScanner(os.Stdin); model.Scan() && model.Text() != "done"; {
		tool, written, _ := strings.Cut(model.Text(), " ")
		ref := message.ToolRef(tool)
		takes := ask(conn, message.AgentArguments, message.AgentArgumentsParams{Tool: ref}) // for the model, before it writes
		clean := ask(conn, message.AgentClean, message.AgentCleanParams{Tool: ref, Text: written})
		fmt.Printf("> %s takes %s\n", tool, takes.SchemaText)
		if clean.Fault != "" {
			fmt.Println(clean.Fault) // the model reads it and tries again
			continue
		}
		// A call that may not run says so, and how it may.
		result := ask(conn, message.ToolCall, message.ToolCallParams{Tool: ref, ArgumentsText: clean.ArgumentsText, TurnID: "1"})
		fmt.Println(result.Status, result.Message, result.Text, strings.Join(result.Steps, " "))
	}
	if later := ask(conn, message.AgentPrompt, message.AgentPromptParams{Stamp: prompt.Stamp}); later.Stale {
		fmt.Println("The tools have changed: the next prompt is a new one.")
	}
	ask(conn, rpc.Request[message.Empty, rpc.Null]{Method: "shutdown"}, message.Empty{})
	must(0, rpc.Notify(conn, rpc.Event[message.Empty]{Method: "exit"}, message.Empty{}))
	must(0, pillion.Wait())
}

func ask[P, R any](conn *rpc.Conn, method rpc.Request[P, R], params P) R {
	return must(rpc.Call(context.Background(), conn, rpc.EditorRequest[P, R](method), params))
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
