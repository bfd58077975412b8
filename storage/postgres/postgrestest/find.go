package postgrestest

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

// ErrNotInstalled means that the machine has no server of Postgres.
var ErrNotInstalled = errors.New("NOT RUN: there is no Postgres: install the package postgresql (apt-get install postgresql), " +
	"or put initdb and postgres into PATH")

// Installed returns the directories with the programs of Postgres, those in PATH first, and then the newest version. It
// returns [ErrNotInstalled] if there is none.
func Installed() ([]string, error) {
	var all []string
	if path, err := exec.LookPath("initdb"); err == nil {
		if target, err := filepath.EvalSymlinks(path); err == nil {
			path = target
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), "postgres")); err == nil {
			all = append(all, filepath.Dir(path))
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	slices.SortFunc(found, func(a, b string) int { return cmp.Compare(version(b), version(a)) })
	for _, path := range found {
		if dir := filepath.Dir(path); !slices.Contains(all, dir) {
			all = append(all, dir)
		}
	}
	if len(all) == 0 {
		return nil, ErrNotInstalled
	}
	return all, nil
}

// version returns the major version in the path of a program.
func version(path string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
	return n
}

// owner returns the user that runs the server, or nil for the user of this process. Postgres refuses to run as root.
func owner() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	var errs []error
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		uid, errUID := strconv.ParseUint(u.Uid, 10, 32)
		gid, errGID := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(errUID, errGID); err != nil {
			return nil, err
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.Join(errs...)
}
