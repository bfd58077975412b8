// Package exchange changes what a running API serves: it takes resources, replaces their declarations by newer ones,
// and gives them up. An [Exchange] prepares the store for the next set, and takes everything back if that fails.
// Exchanges come one after the other.
package exchange
