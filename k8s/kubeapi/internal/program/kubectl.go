package program

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// untriedPath is the environment variable with the folders that the kubectl of other assets still has to try. Without
// it, assets of two versions in PATH would run each other without end.
const untriedPath = "DECORUM_UNTRIED_PATH"

// runKubectl runs the kubectl in PATH with the same arguments. envtest wants a kubectl in the folder of assets, and
// runs it for the tests that call its KubeCtl.
func runKubectl(ctx context.Context, p Process) error {
	folders := p.Getenv(untriedPath)
	if folders == "" {
		folders = p.Getenv("PATH")
	}
	found, untried, err := findKubectl(filepath.SplitList(folders))
	if err != nil {
		return err
	}
	kubectl := exec.CommandContext(ctx, found, p.Args[1:]...)
	kubectl.Env = append(os.Environ(), untriedPath+"="+strings.Join(append(untried, "."), string(filepath.ListSeparator)))
	kubectl.Stdin, kubectl.Stdout, kubectl.Stderr = p.Stdin, p.Stdout, p.Stderr
	return kubectl.Run()
}

// findKubectl returns the first kubectl in the folders that is not this executable, and the folders after it.
func findKubectl(folders []string) (found string, untried []string, err error) {
	executable, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	own, err := os.Stat(executable)
	if err != nil {
		return "", nil, err
	}
	for i, folder := range folders {
		if !filepath.IsAbs(folder) {
			continue
		}
		found, err := exec.LookPath(filepath.Join(folder, "kubectl"))
		if err != nil {
			continue
		}
		if file, err := os.Stat(found); err == nil && !os.SameFile(file, own) {
			return found, folders[i+1:], nil
		}
	}
	return "", nil, errors.New("this file runs the kubectl in PATH, and PATH has none")
}
