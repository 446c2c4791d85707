// Reads one Ignition 2.3.0 configuration per line and answers each with one line: `ok`, or what Ignition finds in it.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	ignition "github.com/flatcar/ignition/config/v2_3"
)

const maxLineBytes = 64 << 20

// ownQuirk is what Ignition says about every configuration that its own encoder writes.
const ownQuirk = "Config has unrecognized key: tls"

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), maxLineBytes)
	for lines.Scan() {
		fmt.Println(judge(lines.Bytes()))
	}
	if err := lines.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// judge gives `ok`, or everything that is wrong or doubtful, on one line.
func judge(config []byte) string {
	_, report, err := ignition.Parse(config)
	if err != nil {
		return "error: " + err.Error() + " " + oneLine(report.String())
	}
	var findings []string
	for _, entry := range report.Entries {
		if entry.Message != ownQuirk {
			findings = append(findings, oneLine(entry.String()))
		}
	}
	if len(findings) > 0 {
		return strings.Join(findings, " ")
	}
	return "ok"
}

func oneLine(text string) string {
	return strings.ReplaceAll(text, "\n", " ")
}
