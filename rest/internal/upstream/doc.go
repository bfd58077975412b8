// Package upstream holds the differences between the two ways in which kube-apiserver answers: one for the kinds that
// are built into it, one for custom resources. Clients know both, and the recorded transcripts show both.
//
// Each difference is one field of [Dialect]. Code asks that field and never which dialect it is.
package upstream
