// Command vetkinds checks the kinds of CustomResourceDefinition files against the Kubernetes API conventions, as
// package conventions checks Go types.
//
//	vetkinds [FLAGS] -f PATH
//
//	-f PATH             a file, a folder with its subfolders, or - for standard input; may be repeated. Files are YAML or
//	                    JSON, with any number of documents; objects of other kinds are left out
//	--exceptions FILE   findings to accept: a YAML list whose elements have kind, rule, reason and, for a part of the
//	                    kind, field
//	--severity must     leave out what the conventions only recommend
//	-o json             print a JSON array instead of lines
//
// It prints FILE:LINE: SEVERITY: KIND FIELD: REASON for each finding, with the rule and the section of
// docs/designing-kinds.md that explains it. The exit status is 0 if there is nothing to report, 1 if there is a finding
// or an exception that silences nothing, and 2 if the arguments are wrong, a file cannot be read, or no file has a
// definition.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
