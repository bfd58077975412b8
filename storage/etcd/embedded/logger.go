package embedded

import (
	"context"
	"log/slog"

	"go.uber.org/zap/zapcore"
)

// core passes the warnings and errors of etcd to a logger of the host.
type core struct{ logger *slog.Logger }

// Enabled implements [zapcore.LevelEnabler].
func (c core) Enabled(level zapcore.Level) bool { return level >= zapcore.WarnLevel }

// With implements [zapcore.Core].
func (c core) With(fields []zapcore.Field) zapcore.Core {
	return core{c.logger.With(attributes(fields)...)}
}

// Check implements [zapcore.Core].
func (c core) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(entry.Level) {
		return checked.AddCore(entry, c)
	}
	return checked
}

// Write implements [zapcore.Core].
func (c core) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	level := slog.LevelWarn
	if entry.Level >= zapcore.ErrorLevel {
		level = slog.LevelError
	}
	c.logger.Log(context.Background(), level, "etcd: "+entry.Message, attributes(fields)...)
	return nil
}

// Sync implements [zapcore.Core].
func (core) Sync() error { return nil }

func attributes(fields []zapcore.Field) []any {
	encoder := zapcore.NewMapObjectEncoder()
	for _, field := range fields {
		field.AddTo(encoder)
	}
	all := make([]any, 0, len(encoder.Fields))
	for name, value := range encoder.Fields {
		all = append(all, slog.Any(name, value))
	}
	return all
}
