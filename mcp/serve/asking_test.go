package serve

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pillion/mcp/connector"
	"pillion/mcp/host"
)

// TestU8_AClientHearsThatItsUserIsAsked has a question be open for a minute, and the connector tell of its progress after it.
func TestU8_AClientHearsThatItsUserIsAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		mine, its := mcp.NewInMemoryTransports()
		session, err := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil).Connect(ctx, its, nil)
		if err != nil {
			t.Fatal(err)
		}
		var heard []*mcp.ProgressNotificationParams
		client, err := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, &mcp.ClientOptions{
			ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { heard = append(heard, r.Params) },
		}).Connect(ctx, mine, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		var states []host.CallState
		r := &request{server: &Server{options: Options{OnState: func(name string, state host.CallState) {
			if name != "n" {
				t.Errorf("told of %q", name)
			}
			states = append(states, state)
		}}}, session: session, token: "t", name: "n"}
		telling := r.tell(ctx)
		telling.state(host.CallAsking)
		time.Sleep(time.Minute + time.Second)
		synctest.Wait()
		if len(heard) != 6 || heard[0].Message == "" || heard[0].ProgressToken != "t" {
			t.Fatalf("heard %d times", len(heard))
		}
		telling.state(host.CallRunning)
		time.Sleep(time.Minute)
		telling.progress(connector.Progress{Progress: 0.1})
		telling.end()
		synctest.Wait()
		if len(heard) != 7 || heard[6].Progress != 0.1 {
			t.Errorf("heard %d times", len(heard))
		}
		for i := 1; i < len(heard); i++ {
			if heard[i].Progress <= heard[i-1].Progress {
				t.Errorf("%v comes after %v", heard[i].Progress, heard[i-1].Progress)
			}
		}
		if len(states) != 2 {
			t.Errorf("states %v", states)
		}
		// Nothing is told of a request that ended while it was asked.
		telling = r.tell(ctx)
		telling.state(host.CallAsking)
		telling.end()
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(heard) != 7 {
			t.Errorf("heard %d times", len(heard))
		}
	})
}
