// Package smallfile reads the files that an operator writes by hand, such as configurations and keys.
package smallfile

import (
	"fmt"
	"io"
	"os"
)

// MaxBytes limits the size of a file. A kubeconfig file of a thousand clusters has about 6 MiB.
const MaxBytes = 16 << 20

// Read is [os.ReadFile] with a limit, because a path may name a device or a pipe without an end. Its errors name the
// path, as those of os.ReadFile do.
func Read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err == nil && len(text) > MaxBytes {
		return nil, fmt.Errorf("%s: exceeds the limit of %d bytes", path, MaxBytes)
	}
	return text, err
}
