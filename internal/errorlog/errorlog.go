// Package errorlog chooses the logger of a host that names none.
package errorlog

import (
	"context"
	"log/slog"
)

// Or returns the logger that a host has set, or one that passes errors on to what is now slog's default logger and
// drops all else: a failure must be visible without any configuration, and a library must not fill its host's log with
// more.
func Or(logger *slog.Logger) *slog.Logger {
	if logger != nil {
		return logger
	}
	return slog.New(errorsOnly{slog.Default().Handler()})
}

// errorsOnly drops records below level Error.
type errorsOnly struct{ slog.Handler }

func (h errorsOnly) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelError && h.Handler.Enabled(ctx, level)
}

func (h errorsOnly) WithAttrs(attrs []slog.Attr) slog.Handler {
	return errorsOnly{h.Handler.WithAttrs(attrs)}
}

func (h errorsOnly) WithGroup(name string) slog.Handler { return errorsOnly{h.Handler.WithGroup(name)} }
