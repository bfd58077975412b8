// Package conformance replays recorded requests against a server and compares its
// answers with those of a real kube-apiserver. It asks over HTTP and knows nothing
// of the server's making, so any server that follows the Kubernetes API conventions
// can be held against it; README.md says which kinds the server has to serve.
//
//	report, err := conformance.Run(ctx, conformance.Options{Server: "http://127.0.0.1:8080"})
//	if err != nil {
//		return err // the server does not answer, or the options are wrong
//	}
//	report.WriteTable(os.Stdout)
//
// A case pins one rule. It is a few requests in a file of [Cases]; what the
// recorded server answered to them, its transcript, is in [Golden]. One run of a
// case goes like this:
//
//	namespaces, given objects, steps -> answers -> normalise -> transcript
//	                                     the golden transcript -> compare -> Result
//
// Names, uids, times and resourceVersions differ from run to run. Normalising
// replaces them by symbols that keep what the rules are about: equal stays equal,
// later stays later. After that a transcript is plain JSON, and comparing is
// comparing JSON. The texts that servers write for people are compared as well,
// but a difference there is a class of its own.
//
// Cases do not depend on each other, on their order, or on what the server holds:
// each works in a namespace with a random name. [Known] lists the cases that a
// server is known not to pass, so that a run fails when the list is not true in
// either direction. [Record] makes the golden transcripts from a server.
package conformance
