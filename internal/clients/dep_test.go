package clients_test
import (
 _ "sigs.k8s.io/controller-runtime"
 _ "github.com/decorum-go/decorum/rest"
 _ "github.com/decorum-go/decorum/k8s"
 _ "github.com/stretchr/testify/require"
 _ "github.com/stretchr/testify/assert"
 _ "k8s.io/client-go/kubernetes"
 _ "k8s.io/client-go/metadata/metadatainformer"
 _ "k8s.io/client-go/tools/leaderelection"
 _ "k8s.io/client-go/tools/events"
 _ "k8s.io/client-go/features"
)
