// Package upstream holds what is borrowed from kube-apiserver: the two dialects in which it answers, side by side.
//
// Upstream answers differently for the kinds that are built into it and for custom resources. Clients know both, and the
// recorded transcripts hold both. Each difference is one field of [Dialect]; code asks that field and never the dialect.
package upstream
