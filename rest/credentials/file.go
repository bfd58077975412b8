package credentials

import (
	"fmt"
	"io"
	"os"
)

// readFile is os.ReadFile with a limit, because a path may name a device or a pipe without an end.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("the file exceeds the limit of %d bytes", maxFile)
	}
	return text, err
}
