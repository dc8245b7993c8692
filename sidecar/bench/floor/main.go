// Floor answers one request, which is initialize, and links what Pillion links: what remains of Pillion's start when it does
// nothing.
// It reads no parameters; its imports are those of this file until the benchmark adds the others, so that they never go
// stale.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

func main() {
	in := bufio.NewReader(os.Stdin)
	length := 0
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimSpace(line)
		if line == "" {
			break
		}
		if value, found := strings.CutPrefix(line, "Content-Length: "); found {
			length, _ = strconv.Atoi(value)
		}
	}
	if _, err := io.CopyN(io.Discard, in, int64(length)); err != nil {
		return
	}
	// The first request of the benchmark's connection has the id 1.
	const answer = `{"jsonrpc":"2.0","id":1,"result":{"capabilities":{}}}`
	fmt.Printf("Content-Length: %d\r\n\r\n%s", len(answer), answer)
	_, _ = io.Copy(io.Discard, in)
}
