package quota_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/quota"
	"github.com/decorum-go/decorum/status"
)

const (
	modelNames    = 5
	modelPlaces   = 3 // places of the namespace
	modelOfAUser  = 2
	modelUsers    = 2
	modelWriters  = 4
	modelWritings = 12
)

// modelState holds the creator of each object, counted from 1. 0 means that the object does not exist.
type modelState [modelNames]int

// modelCall creates or deletes an object.
type modelCall struct {
	remove     bool
	name, user int
}

// limitedSpace models a namespace with limits. The output of a call is the code of its answer.
var limitedSpace = porcupine.Model{
	Init: func() any { return modelState{} },
	Step: func(state, input, output any) (bool, any) {
		s, in := state.(modelState), input.(modelCall)
		code := 200
		switch free := s[in.name] == 0; {
		case in.remove && free:
			code = 404
		case in.remove:
			s[in.name] = 0
		case !free:
			code = 409
		case count(s, func(creator int) bool { return creator != 0 }) == modelPlaces,
			count(s, func(creator int) bool { return creator == in.user }) == modelOfAUser:
			code = 403
		default:
			s[in.name] = in.user
		}
		return output == code, s
	},
}

func count(s modelState, which func(creator int) bool) (n int) {
	for _, creator := range s {
		if which(creator) {
			n++
		}
	}
	return n
}

// The answers of concurrent writers have an order in which each limit holds exactly: no write is refused while there is
// room.
func TestLinearizable(t *testing.T) {
	limits := map[quota.Account][]quota.Limit{{Namespace: "a"}: {{Name: "places", Objects: modelPlaces}}}
	for user := range modelUsers {
		limits[quota.Account{User: fmt.Sprint("user-", user+1)}] = []quota.Limit{{Name: "places of a user",
			Resource: notesName, Objects: modelOfAUser}}
	}
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			api := serve(t, open(t, limits), nil)
			start := time.Now()
			histories := make([][]porcupine.Operation, modelWriters)
			var all sync.WaitGroup
			for w := range histories {
				random := rand.New(rand.NewPCG(1, uint64(w)))
				all.Go(func() {
					for range modelWritings {
						in := modelCall{remove: random.IntN(3) == 0, name: random.IntN(modelNames), user: 1 + w%modelUsers}
						began := time.Since(start).Nanoseconds()
						code := call(t, api, in)
						histories[w] = append(histories[w],
							porcupine.Operation{ClientId: w, Input: in, Call: began, Output: code, Return: time.Since(start).Nanoseconds()})
					}
				})
			}
			all.Wait()
			require.True(t, porcupine.CheckOperations(limitedSpace, slices.Concat(histories...)))
		})
	}
}

// call performs a call, and returns the code of its answer.
func call(t testing.TB, api *rest.API, in modelCall) int {
	user, name := fmt.Sprint("user-", in.user), fmt.Sprint("note-", in.name)
	var err error
	if in.remove {
		err = as(t, api, user, "a").Delete(t.Context(), name, rest.DeleteOptions{})
	} else {
		err = create(t.Context(), api, user, "a", name)
	}
	if err != nil {
		return status.CodeOf(err)
	}
	return 200
}
