package postgrestest

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Standby starts a second server that follows this one, with further settings. It copies the files of this server
// itself, because some packages of Postgres contain only the server.
func (s *Server) Standby(settings map[string]string) (*Server, error) {
	standby, err := newServer(s.opts)
	if err != nil {
		return nil, err
	}
	if err := s.backUp(standby); err != nil {
		return nil, errors.Join(err, standby.Stop())
	}
	all := map[string]string{"primary_conninfo": "host=" + s.dir + " user=postgres"}
	maps.Copy(all, settings)
	return standby, standby.configureAndStart(all)
}

// backUp copies the data of a running server to a standby that does not run yet.
func (s *Server) backUp(standby *Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "SELECT pg_backup_start('standby', true)"); err != nil {
		return err
	}
	if err := s.copyData(standby); err != nil {
		return err
	}
	label := ""
	if err := conn.QueryRow(ctx, "SELECT labelfile FROM pg_backup_stop(false)").Scan(&label); err != nil {
		return err
	}
	return errors.Join(standby.WriteFile("data/backup_label", []byte(label)),
		standby.WriteFile("data/standby.signal", nil))
}

// copyData copies the files of the server except for its log of changes, which the standby receives. Files that the
// server removes meanwhile are not a part of a backup.
func (s *Server) copyData(standby *Server) error {
	return filepath.WalkDir(s.data(), func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(s.dir, path)
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir():
			return standby.makeDir(name)
		case filepath.Base(path) == "postmaster.pid", strings.HasPrefix(name, "data/pg_wal/"):
			return nil
		}
		content, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return errors.Join(err, standby.WriteFile(name, content))
	})
}

// makeDir makes a directory that only the server may read.
func (s *Server) makeDir(name string) error {
	path := filepath.Join(s.dir, name)
	if err := os.Mkdir(path, 0o700); err != nil || s.user == nil {
		return err
	}
	return os.Chown(path, int(s.user.Uid), int(s.user.Gid))
}
