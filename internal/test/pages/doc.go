// Package pages tests that the commands of the documentation do what its pages say, under a real kubectl.
package pages
