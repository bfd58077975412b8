package errorlog_test

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/internal/errorlog"
)

func TestOr(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	t.Cleanup(func() { slog.SetDefault(before) })
	host := slog.New(slog.NewTextHandler(&log,
		&slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))
	assert.Same(t, host, errorlog.Or(host))

	slog.SetDefault(host)
	for name, logger := range map[string]*slog.Logger{
		"alone":              errorlog.Or(nil),
		"with an attribute":  errorlog.Or(nil).With("a", 1),
		"with a group":       errorlog.Or(nil).WithGroup("g"),
		"beside another one": errorlog.Or(nil).With("a", 1).WithGroup("g").With("b", 2),
	} {
		log.Reset()
		logger.Debug("no")
		logger.Info("no")
		logger.Warn("no")
		assert.Empty(t, log.String(), name)
		logger.Error("yes", "c", 3)
		assert.Regexp(t, `^level=ERROR msg=yes( a=1)?( g\.b=2)? (g\.)?c=3\n$`, log.String(), name)
	}
}
