// Package postgrestest starts servers of Postgres for tests. It runs the programs that are installed: those in PATH, or
// the newest ones in /usr/lib/postgresql. The servers have databases in temporary directories, and listen only on Unix
// sockets.
package postgrestest
