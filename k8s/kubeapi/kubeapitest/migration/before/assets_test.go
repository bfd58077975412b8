package suite_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestMain does what the command line of a user does: KUBEBUILDER_ASSETS=$(go run …/assets) go test ./...
func TestMain(m *testing.M) {
	assets := exec.Command("go", "-C", "../../..", "run", "./assets")
	assets.Stderr = os.Stderr
	out, err := assets.Output()
	if err != nil {
		fmt.Fprintln(os.Stderr, "assets:", err)
		os.Exit(1)
	}
	lines := strings.Fields(string(out))
	if err := os.Setenv("KUBEBUILDER_ASSETS", lines[len(lines)-1]); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
