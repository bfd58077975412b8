// Package validation refuses objects of Kubernetes' kinds as a Kubernetes API server does, with the same messages.
//
// It is not complete: it holds the rules that people meet. The README of the module states for each kind which share of
// Kubernetes' refusals it gives. It never refuses what Kubernetes accepts: module k8s/kubeapi/internal/oracle compares
// both for thousands of objects with one fault. What depends on other objects, and what a subresource other than status
// may change, is the business of package kinds; the rules of metadata are those of the core.
//
// The variable kinds (kinds.go) has one row for each kind, which names the functions that check it. To add a kind,
// write these functions as methods of report in a file named for the kind or its group, and add its row.
package validation
