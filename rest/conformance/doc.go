// Package conformance replays recorded requests against a server and compares its
// answers with those of a real kube-apiserver. It sends requests over HTTP and
// knows nothing about the implementation, so it can check any server that follows
// the Kubernetes API conventions. README.md lists the kinds that the server must
// serve.
//
//	report, err := conformance.Run(ctx, conformance.Options{Server: "http://127.0.0.1:8080"})
//	if err != nil {
//		return err // the server does not answer, or the options are wrong
//	}
//	report.WriteTable(os.Stdout)
//
// A case pins one rule. It is a few requests in a file of [Cases]. [Golden] holds
// its transcript: the answers of the recorded server. A case runs like this:
//
//	namespaces, given objects, steps -> answers -> normalise -> transcript
//	                                     the golden transcript -> compare -> Result
//
// Names, uids, times and resourceVersions differ from run to run. Normalising
// replaces them by symbols that preserve the rules: equal values stay equal, and
// later versions stay later. After that, a transcript is plain JSON and can be
// compared as JSON. The suite also compares the texts that servers write for
// people, but counts a difference there in a class of its own.
//
// Cases do not depend on each other, on their order, or on the content of the
// server: each uses a namespace with a random name. [Known] lists the cases that a
// server is known to fail; a run fails if a listed case passes or an unlisted case
// fails. [Record] creates the golden transcripts from a server.
package conformance
