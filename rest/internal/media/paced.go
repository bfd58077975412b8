package media

import "io"

// Paced is a writer to a client whose answer takes turns with others: only the answer whose turn it is may be encoded
// or compressed.
type Paced interface {
	io.Writer
	// Resume must come before the answer is encoded or compressed further. It waits until that is the turn of the answer,
	// and returns an error if the answer must end.
	Resume() error
}

// resume calls Resume if the writer is Paced. No other writer has to wait for a turn.
func resume(w io.Writer) error {
	if paced, ok := w.(Paced); ok {
		return paced.Resume()
	}
	return nil
}
