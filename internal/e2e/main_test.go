package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// programs is where TestMain puts kubectl and the examples.
var programs string

func TestMain(m *testing.M) {
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "decorum-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := buildPrograms(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	programs = dir
	return m.Run()
}

func buildPrograms(dir string) error {
	kubectlModule, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "k8s.io/kubectl").Output()
	if err != nil {
		return fmt.Errorf("which kubectl does go.mod name: %w", err)
	}
	// The module v0.37.2 is kubectl v1.37.2, and kubectl wants to know.
	release := strings.Replace(strings.TrimSpace(string(kubectlModule)), "v0.", "v1.", 1)
	if err := build(dir, ".", "./cmd/kubectl", "-ldflags=-X k8s.io/component-base/version.gitVersion="+release); err != nil {
		return err
	}
	// The examples are built in the library's own module, with its own versions.
	library := filepath.Join("..", "..")
	for _, example := range []string{"quickstart", "embed"} {
		if err := build(dir, library, "./examples/"+example); err != nil {
			return err
		}
	}
	return nil
}

func build(target, module, pkg string, flags ...string) error {
	args := append([]string{"build", "-o", target + string(filepath.Separator)}, flags...)
	cmd := exec.Command("go", append(args, pkg)...)
	cmd.Dir = module
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s", pkg, err, out)
	}
	return nil
}
