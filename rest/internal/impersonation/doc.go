// Package impersonation holds the rules about clients that act as another user, and the words that refuse an access.
package impersonation
