// Package identity holds the rules about who acts in a request: the words that refuse an access, and impersonation.
package identity
