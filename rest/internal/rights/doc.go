// Package rights holds what an API knows about the rights of clients after the Authorizer has decided:
//
//	Restriction  to which objects a client is restricted
//	Readings     under which restriction a client has listed, so that a watch may continue from the list
//	Restricted   whose rights were ever restricted, in the store
//	Rights       the watches and streams that end when a user loses rights
//
// Package resource alone decides which objects a restriction admits.
package rights
