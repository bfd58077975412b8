package program

import (
	"context"
	"errors"
)

// callKubectl explains why the file kubectl in the folder of assets does nothing: envtest wants the file to exist, and never runs it.
func callKubectl(context.Context, Process) error {
	return errors.New("this file only stands for kubectl in the folder of envtest; run the kubectl in your PATH")
}
