// Command beside measures what an attack on one kind costs the clients of other kinds. It starts two hosts, sends
// requests at a fixed rate to the first without waiting for the answers, and carries out the attack: for a while on the
// second host, so that the machine is equally busy, and for a while on the first. It repeats this and prints, for each
// round, the 99th percentile of the latency beside the attack on the other host and on the same host, and at the end
// the median of the differences. The exit status is 1 if that is above the limit.
//
// There are two attacks: hostile definitions one after the other, and 20 writes a second of a kind whose webhooks hang,
// lie and answer 50 MB.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"time"
)

func main() {
	duration := flag.Duration("duration", 10*time.Second, "of each measurement")
	rate := flag.Int("rate", 200, "requests a second")
	rounds := flag.Int("rounds", 5, "of two measurements")
	limit := flag.Duration("limit", 5*time.Millisecond, "of the median difference")
	name := flag.String("attack", "definitions", "definitions or webhooks")
	host := flag.Bool("host", false, "serve until the standard input ends (used by the command itself)")
	flag.Parse()
	var err error
	switch a := attacks()[*name]; {
	case *host:
		err = serve(os.Stdin, os.Stdout)
	case a == nil:
		err = fmt.Errorf("unknown attack %q", *name)
	default:
		err = measure(load{rate: *rate, duration: *duration}, a, *rounds, *limit)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "beside:", err)
		os.Exit(1)
	}
}

// attacks returns the attacks by name.
func attacks() map[string]attack {
	return map[string]attack{"definitions": definitions, "webhooks": webhooks}
}

// measure runs the rounds and prints what it finds.
func measure(l load, a attack, rounds int, limit time.Duration) error {
	var urls [2]string
	for i := range urls {
		url, end, err := start()
		if err != nil {
			return err
		}
		defer end()
		urls[i] = url
	}
	if err := prepare(urls[0]); err != nil {
		return err
	}
	var differences []time.Duration
	for round := range rounds {
		without, _, err := l.beside(urls[0], urls[1], a)
		if err != nil {
			return err
		}
		with, sent, err := l.beside(urls[0], urls[0], a)
		if err != nil {
			return err
		}
		fmt.Printf("round %d: p99 %v beside an attack on another host, %v beside %d hostile requests to its own\n", round+1,
			without, with, sent)
		differences = append(differences, with-without)
	}
	slices.Sort(differences)
	median := differences[len(differences)/2]
	fmt.Printf("median difference: %v\n", median)
	if median > limit {
		return fmt.Errorf("the difference is above %v", limit)
	}
	return nil
}

// start starts a host in a process of its own.
func start() (url string, end func(), err error) {
	program, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	cmd := exec.Command(program, "-host")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return "", nil, err
	}
	end = func() {
		in.Close()
		cmd.Wait()
	}
	if _, err := fmt.Fscanln(out, &url); err != nil {
		end()
		return "", nil, err
	}
	return url, end, nil
}
