// Command kinds prints what a kind costs a host: the processor time to compile the package that declares it, and the
// bytes of the stripped program.
//
// It writes programs with 1, 50 and 200 kinds, once with their Go structs alone, once with their declarations, and once
// with typed clients as well. The structs alone show what the host pays in any case. Times are processor times of this
// machine, the least of several rounds. Run it in the directory of the library: go run ./internal/test/budget/kinds
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
)

func main() {
	rounds := flag.Int("rounds", 3, "how often each package is compiled")
	most := flag.Int("most", 200, "the largest number of kinds")
	flag.Parse()
	if err := run(*most, *rounds); err != nil {
		log.Fatal(err)
	}
}

// run prints the table. It compares programs with more kinds with the program with one.
func run(most, rounds int) error {
	library, err := os.Getwd()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "kinds")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Println("| program | kinds | stripped, MB | KB a kind | compiling, s | ms a kind |")
	fmt.Println("| --- | --- | --- | --- | --- | --- |")
	for _, form := range forms {
		var one cost
		for _, n := range []int{1, 50, 200} {
			if n > most {
				break
			}
			host, err := newHost(dir, library, form, n)
			if err != nil {
				return err
			}
			c, err := host.measure(rounds)
			if err != nil {
				return err
			}
			if n == 1 {
				one = c
				fmt.Printf("| %s | 1 | %.2f | | %.2f | |\n", form.name, float64(c.bytes)/1e6, c.compiling.Seconds())
				continue
			}
			bytes := float64(c.bytes-one.bytes) / float64(n-1)
			compiling := (c.compiling - one.compiling).Seconds() / float64(n-1)
			fmt.Printf("| %s | %d | %.2f | %.1f | %.2f | %.1f |\n", form.name, n, float64(c.bytes)/1e6, bytes/1e3,
				c.compiling.Seconds(), compiling*1e3)
		}
	}
	return nil
}
