package program

import (
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/kinds"
)

var (
	//go:embed flags.txt
	flagsText string
	//go:embed gates.txt
	gatesText string
)

// serverFlags are the flags of kube-apiserver that have an effect.
type serverFlags struct {
	advertiseAddress, bindAddress, certDir, clientCA, serviceRange string
	tlsCert, tlsKey, tokens, signingKey                            string
	securePort, maxReads, maxWrites                                int
	audiences, issuers, accountKeys                                []string
	anonymous, allowAll, fair                                      bool
	maxTokenLife                                                   time.Duration
	pluginFlags                                                    pluginFlags
	plugins                                                        kinds.PluginOptions
	notes                                                          []string
}

// parseServerFlags reads the flags of kube-apiserver. Flags that kube-apiserver does not have are an error, because a
// test that sets them relies on them.
func parseServerFlags(p Process) (*serverFlags, error) {
	f := &serverFlags{bindAddress: "127.0.0.1", securePort: 6443, serviceRange: "10.0.0.0/24", anonymous: true}
	set := flag.NewFlagSet("kube-apiserver", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	f.define(set)
	f.defineOthers(set)
	if err := set.Parse(p.Args[1:]); err != nil {
		return nil, err
	}
	if set.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", set.Arg(0))
	}
	if err := f.checkLimits(); err != nil {
		return nil, err
	}
	plugins, remaining, err := f.pluginFlags.plugins()
	if err != nil {
		return nil, err
	}
	for _, name := range remaining {
		f.notes = append(f.notes, "the admission plugin "+name+" cannot be disabled")
	}
	f.plugins = plugins
	if f.issuers == nil {
		f.issuers = []string{"https://kubernetes.default.svc.cluster.local"}
	}
	return f, nil
}

func (f *serverFlags) define(set *flag.FlagSet) {
	set.StringVar(&f.advertiseAddress, "advertise-address", "", "the address in the endpoints of the Service kubernetes")
	set.StringVar(&f.bindAddress, "bind-address", f.bindAddress, "the address to serve on")
	set.IntVar(&f.securePort, "secure-port", f.securePort, "the port to serve on")
	set.StringVar(&f.certDir, "cert-dir", "", "the folder of apiserver.crt and apiserver.key")
	set.StringVar(&f.tlsCert, "tls-cert-file", "", "the certificate of the server")
	set.StringVar(&f.tlsKey, "tls-private-key-file", "", "the key of the server")
	set.StringVar(&f.clientCA, "client-ca-file", "", "the authorities of client certificates")
	set.StringVar(&f.tokens, "token-auth-file", "", "a file with lines TOKEN,USER,UID,\"GROUP,GROUP\"")
	set.BoolVar(&f.anonymous, "anonymous-auth", true, "accept requests without credentials")
	set.BoolVar(&f.fair, "enable-priority-and-fairness", true, "divide the capacity by FlowSchemas")
	set.IntVar(&f.maxReads, "max-requests-inflight", 400,
		"how many reads run at once; with flow control, a part of the seats")
	set.IntVar(&f.maxWrites, "max-mutating-requests-inflight", 200,
		"how many writes run at once; with flow control, a part of the seats")
	set.StringVar(&f.serviceRange, "service-cluster-ip-range", f.serviceRange, "the addresses of Services")
	set.StringVar(&f.signingKey, "service-account-signing-key-file", "", "the key that signs tokens")
	set.DurationVar(&f.maxTokenLife, "service-account-max-token-expiration", 0, "the longest life of a token")
	appendTo(set, &f.accountKeys, "service-account-key-file", "a key or a certificate that verifies tokens")
	appendTo(set, &f.issuers, "service-account-issuer", "the issuer of tokens")
	set.Func("api-audiences", "the names of the API in tokens",
		func(s string) error { f.audiences = strings.Split(s, ","); return nil })
	set.Func("authorization-mode", "RBAC or AlwaysAllow; Node has no effect", f.setAuthorization)
	f.pluginFlags.define(set)
	set.Func("feature-gates", "only the defaults are accepted", f.setGates)
	set.Func("runtime-config", "API versions to serve; only what is served can be true", f.setRuntimeConfig)
}

// checkLimits checks the numbers of requests in flight. 0 means no limit, which flow control cannot divide.
func (f *serverFlags) checkLimits() error {
	switch {
	case f.maxReads < 0:
		return errors.New("--max-requests-inflight must not be negative")
	case f.maxWrites < 0:
		return errors.New("--max-mutating-requests-inflight must not be negative")
	case f.fair && f.maxReads+f.maxWrites == 0:
		return errors.New("--max-requests-inflight and --max-mutating-requests-inflight must not both be 0 with flow control")
	}
	return nil
}

func appendTo(set *flag.FlagSet, list *[]string, name, usage string) {
	set.Func(name, usage, func(s string) error { *list = append(*list, s); return nil })
}

// other is a flag in flags.txt.
type other struct {
	set    func(value string) error
	isBool bool
}

func (o *other) String() string     { return "" }
func (o *other) Set(s string) error { return o.set(s) }
func (o *other) IsBoolFlag() bool   { return o.isBool }

func (f *serverFlags) defineOthers(set *flag.FlagSet) {
	for words := range table(flagsText) {
		name := words[1]
		o := &other{isBool: len(words) > 2}
		switch words[0] {
		case "refused":
			o.set = func(string) error { return fmt.Errorf("kubeapi does not implement --%s", name) }
		case "noted":
			o.set = func(string) error { f.notes = append(f.notes, "--"+name+" has no effect"); return nil }
		default:
			o.set = func(string) error { return nil }
		}
		set.Var(o, name, words[0])
	}
}

// table yields the words of the lines of a text, without comments.
func table(text string) func(yield func([]string) bool) {
	return func(yield func([]string) bool) {
		for line := range strings.Lines(text) {
			if words := strings.Fields(line); len(words) > 0 && words[0] != "#" && !yield(words) {
				return
			}
		}
	}
}

func (f *serverFlags) setAuthorization(modes string) error {
	for mode := range strings.SplitSeq(modes, ",") {
		switch mode {
		case "AlwaysAllow":
			f.allowAll = true
		case "RBAC":
		case "Node":
			f.notes = append(f.notes, "--authorization-mode=Node has no effect")
		default:
			return fmt.Errorf("kubeapi does not implement the mode %s", mode)
		}
	}
	return nil
}

// setGates accepts the feature gates of kube-apiserver at their defaults, because the server behaves like that.
func (f *serverFlags) setGates(gates string) error {
	defaults := map[string]string{}
	for words := range table(gatesText) {
		defaults[words[0]] = words[1]
	}
	for gate := range strings.SplitSeq(gates, ",") {
		name, value, _ := strings.Cut(gate, "=")
		on, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("feature gate %s: %q is not a boolean", name, value)
		}
		switch defaults[name] {
		case strconv.FormatBool(on):
		case "":
			return fmt.Errorf("unrecognized feature gate: %s", name)
		default:
			return fmt.Errorf("kubeapi does not implement the feature gate %s=%t", name, on)
		}
	}
	return nil
}

// setRuntimeConfig accepts what describes the server as it is: no version that is not generally available.
func (f *serverFlags) setRuntimeConfig(config string) error {
	for entry := range strings.SplitSeq(config, ",") {
		name, value, _ := strings.Cut(entry, "=")
		if on, err := strconv.ParseBool(value); value != "" && err != nil {
			return fmt.Errorf("%s: %q is not a boolean", name, value)
		} else if ga := !strings.Contains(name, "alpha") && !strings.Contains(name, "beta") &&
			name != "api/all"; ga != (on || value == "") {
			return fmt.Errorf("kubeapi does not implement %s", entry)
		}
	}
	return nil
}

// printHelp prints the flags in the form that envtest looks for.
func printHelp(w io.Writer) error {
	set := flag.NewFlagSet("kube-apiserver", flag.ContinueOnError)
	f := new(serverFlags)
	f.define(set)
	set.VisitAll(func(fl *flag.Flag) { fmt.Fprintf(w, "      --%s\n            %s\n", fl.Name, fl.Usage) })
	_, err := fmt.Fprintln(w, "\nThe other flags of kube-apiserver are accepted and have no effect, except for those that would change who may do what.")
	return err
}
