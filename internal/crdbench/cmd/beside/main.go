// Command beside measures what hostile definitions cost the clients of other kinds. It starts two hosts, sends requests at a fixed rate to
// the first without waiting for the answers, and sends hostile definitions one after the other: for a while to the second host, so that
// the machine is equally busy, and for a while to the first. It repeats this and prints, for each round, the 99th percentile of the latency
// beside the other host's definitions and beside the host's own, and at the end the median of the differences. The exit status is 1 if
// that is above the limit.
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
	host := flag.Bool("host", false, "serve until the standard input ends (used by the command itself)")
	flag.Parse()
	var err error
	if *host {
		err = serve(os.Stdin, os.Stdout)
	} else {
		err = measure(load{rate: *rate, duration: *duration}, *rounds, *limit)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "beside:", err)
		os.Exit(1)
	}
}

// measure runs the rounds and prints what it finds.
func measure(l load, rounds int, limit time.Duration) error {
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
		without, _, err := l.beside(urls[0], urls[1])
		if err != nil {
			return err
		}
		with, sent, err := l.beside(urls[0], urls[0])
		if err != nil {
			return err
		}
		fmt.Printf("round %d: p99 %v beside another host's definitions, %v beside %d of its own\n", round+1, without, with, sent)
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
