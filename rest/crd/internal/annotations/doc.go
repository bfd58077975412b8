// Package annotations reads the annotations of a definition for package apiextensions, which checks them, and for package
// crd, which follows them.
package annotations
