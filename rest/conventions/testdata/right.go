// Package testdata has structs that keep the API conventions. corpus_test.go reads it.
package testdata

import (
	"encoding/json"

	"github.com/decorum-go/decorum/apimeta"
)

type PartKeeper struct {
	Name string `json:"name" api:"minLength=1,maxLength=253"`
}

type PartAny struct {
	Group    string `json:"group,omitempty" api:"minLength=1,maxLength=253"`
	Resource string `json:"resource" api:"minLength=1,maxLength=63"`
	Name     string `json:"name" api:"minLength=1,maxLength=253"`
}

type PartFieldOf struct {
	Group     string `json:"group,omitempty" api:"minLength=1,maxLength=253"`
	Version   string `json:"version" api:"minLength=1,maxLength=63"`
	Resource  string `json:"resource" api:"minLength=1,maxLength=63"`
	Name      string `json:"name" api:"minLength=1,maxLength=253"`
	FieldPath string `json:"fieldPath" api:"minLength=1,maxLength=253"`
}

type PartPort struct {
	Name          string `json:"name" api:"minLength=1,maxLength=63"`
	ContainerPort int32  `json:"containerPort" api:"min=1,max=65535"`
	Protocol      string `json:"protocol,omitempty" api:"enum=TCP|UDP|SCTP,default=TCP"`
}

type PartHTTPGet struct {
	Path   string          `json:"path" api:"minLength=1,maxLength=1024"`
	Port   json.RawMessage `json:"port" api:"intOrString"`
	Scheme string          `json:"scheme,omitempty" api:"enum=HTTP|HTTPS,default=HTTP"`
}

type PartRequirement struct {
	Key      string   `json:"key" api:"minLength=1,maxLength=316"`
	Operator string   `json:"operator" api:"enum=In|NotIn|Exists|DoesNotExist"`
	Values   []string `json:"values,omitempty" api:"list=atomic,maxItems=64,items.minLength=1,items.maxLength=63"`
}

// plural: people
type Person struct{}

// plural: children
type Child struct{}

// plural: criteria
type Criterion struct{}

// plural: fungi
type Fungus struct{}

// plural: policies
type AccessPolicy struct{}

// plural: boxes
type Box struct{}

// plural: aircraft
type Aircraft struct{}

// plural: batches
type Batch struct{}

// plural: monarchs
type Monarch struct{}

// plural: mailservers
type MailServer struct{}

// plural: purchaseorders
type PurchaseOrder struct{}

// plural: horizontalautoscalers
type HorizontalAutoscaler struct{}

// plural: scheduledbackups
type ScheduledBackup struct{}

// plural: certificaterequests
type CertificateRequest struct{}

// plural: httproutes
type HTTPRoute struct{}

// plural: runs
type Run struct{}

// plural: restorepoints
type RestorePoint struct{}

// The constants of the conventions themselves.
type Constants struct {
	DNSPolicy             string `json:"dnsPolicy" api:"enum=ClusterFirst|Default|None"`
	SessionAffinity       string `json:"sessionAffinity" api:"enum=ClientIP|None"`
	DelayPolicy           string `json:"delayPolicy" api:"enum=TCPDelay|NoDelay"`
	CgroupDriver          string `json:"cgroupDriver" api:"enum=systemd|cgroupfs"`
	ProxyMode             string `json:"proxyMode" api:"enum=iptables|IPVS|nftables"`
	ContainerEngine       string `json:"containerEngine" api:"enum=Docker|containerd"`
	Command               string `json:"command" api:"enum=docker|podman"`
	Offload               string `json:"offload" api:"enum=eBPF|eBPFDelegation|None"`
	TopologyManagerPolicy string `json:"topologyManagerPolicy" api:"enum=None|BestEffort|Restricted|SingleNUMANode"`
}

// Names that others have given.
type ProperNames struct {
	DatabaseEngine string   `json:"databaseEngine" api:"enum=postgres|mysql|mariadb"`
	Compression    string   `json:"compression" api:"enum=gzip|zstd|None"`
	Architecture   string   `json:"architecture" api:"enum=amd64|arm64"`
	Region         string   `json:"region" api:"enum=eu-west-1|us-east-2"`
	Methods        []string `json:"methods,omitempty" api:"list=set,items.enum=GET|POST|DELETE"`
	Version        string   `json:"version" api:"enum=1.31|1.32"`
	Locale         string   `json:"locale" api:"enum=en-US|de-DE"`
	Currency       string   `json:"currency" api:"enum=EUR|USD|GBP"`
}

// Fields of the conventions themselves.
type Fields struct {
	HTTPGet              *PartHTTPGet `json:"httpGet,omitempty"`
	ID                   string       `json:"id" api:"minLength=1,maxLength=63"`
	Args                 []string     `json:"args,omitempty" api:"list=atomic,maxItems=64,items.maxLength=1024"`
	Stdin                *bool        `json:"stdin,omitempty"`
	Hostname             string       `json:"hostname,omitempty" api:"minLength=1,maxLength=253"`
	HostPath             string       `json:"hostPath,omitempty" api:"minLength=1,maxLength=1024"`
	HostNetwork          *bool        `json:"hostNetwork,omitempty"`
	TimeoutSeconds       int32        `json:"timeoutSeconds,omitempty" api:"min=1,max=3600"`
	LeaseDurationSeconds int32        `json:"leaseDurationSeconds,omitempty" api:"min=1,max=3600"`
	ProbePeriodSeconds   int32        `json:"probePeriodSeconds,omitempty" api:"min=1,max=3600"`
	JobDeadlineSeconds   int32        `json:"jobDeadlineSeconds,omitempty" api:"min=1,max=3600"`
	ClusterIP            string       `json:"clusterIP,omitempty" api:"format=ipv4"`
	PodIPs               []string     `json:"podIPs,omitempty" api:"list=set,maxItems=2,items.minLength=1,items.maxLength=45"`
	Ports                []PartPort   `json:"ports,omitempty" api:"list=map,key=name,maxItems=16"`
	UniqueLabelKey       string       `json:"uniqueLabelKey,omitempty" api:"minLength=1,maxLength=316,default=harbor.example.com/dock-name"`
}

type References struct {
	SecretRef      *PartKeeper  `json:"secretRef,omitempty"`
	TargetRef      *PartAny     `json:"targetRef,omitempty"`
	TargetRefs     []PartAny    `json:"targetRefs,omitempty" api:"list=atomic,maxItems=9"`
	OwnerFieldRef  *PartFieldOf `json:"ownerFieldRef,omitempty"`
	ConfigMapName  string       `json:"configMapName,omitempty" api:"minLength=1,maxLength=253"`
	Authority      string       `json:"authority" api:"minLength=1,maxLength=253"`
	PullSecretRefs []PartKeeper `json:"pullSecretRefs,omitempty" api:"list=map,key=name,maxItems=9"`
}

type Policies struct {
	RestartPolicy         string `json:"restartPolicy,omitempty" api:"enum=Always|OnFailure|Never,default=Always"`
	DeletionPolicy        string `json:"deletionPolicy,omitempty" api:"enum=Retain|Delete"`
	UpdateStrategy        string `json:"updateStrategy,omitempty" api:"enum=Recreate|RollingUpdate"`
	StopSignal            string `json:"stopSignal,omitempty" api:"enum=SIGTERM|SIGKILL"`
	BackoffLimit          int32  `json:"backoffLimit,omitempty" api:"min=1,max=9"`
	BackupEnabled         *bool  `json:"backupEnabled,omitempty"`
	Paused                *bool  `json:"paused,omitempty"`
	Suspend               *bool  `json:"suspend,omitempty"`
	ReadOnly              *bool  `json:"readOnly,omitempty"`
	SortBy                string `json:"sortBy,omitempty" api:"enum=Name|Age"`
	GroupBy               string `json:"groupBy,omitempty" api:"enum=Team|City"`
	StartingDeadlineHours int32  `json:"startingDeadlineHours,omitempty" api:"min=1,max=9"`
}

type Measures struct {
	WeightKilograms    int32  `json:"weightKilograms" api:"min=1,max=900"`
	Weight             int32  `json:"weight,omitempty" api:"min=1,max=100"`
	HeightMillimeters  int32  `json:"heightMillimeters" api:"min=1,max=9000"`
	MemoryMiB          int32  `json:"memoryMiB" api:"min=1,max=9000"`
	DiskSizeGiB        int32  `json:"diskSizeGiB" api:"min=1,max=9000"`
	BatchSize          int32  `json:"batchSize" api:"min=1,max=9000"`
	PoolSize           int32  `json:"poolSize" api:"min=1,max=9000"`
	TeamSize           int32  `json:"teamSize" api:"min=1,max=90"`
	PriceCents         int64  `json:"priceCents" api:"min=1,max=9000"`
	AgeYears           int32  `json:"ageYears" api:"min=1,max=90"`
	MaxAgeDays         int32  `json:"maxAgeDays" api:"min=1,max=90"`
	Schedule           string `json:"schedule" api:"minLength=9,maxLength=90"`
	OpeningTime        string `json:"openingTime" api:"pattern='^[0-2][0-9]:[0-5][0-9]$',maxLength=5"`
	BirthDate          string `json:"birthDate" api:"format=date"`
	MinimumKeyLength   int32  `json:"minimumKeyLength" api:"min=1,max=90"`
	LargestNumber      int64  `json:"largestNumber" api:"safeInteger,min=1"`
	PercentUnavailable int32  `json:"percentUnavailable" api:"min=1,max=100"`
}

// A number of any size that clients can represent.
type SafeInteger struct {
	Position *int64 `json:"position,omitempty" api:"safeInteger"`
}

// Names that only look like durations, verbs, abbreviations or measures.
type Lookalikes struct {
	OfficeHours  string `json:"officeHours" api:"minLength=1,maxLength=90"`
	AddOns       string `json:"addOns" api:"minLength=1,maxLength=90"`
	TempoBeats   int32  `json:"tempoBeats" api:"min=1,max=90"`
	CanaryWeight int32  `json:"canaryWeight" api:"min=1,max=100"`
	PerPage      int32  `json:"perPage" api:"min=1,max=100"`
	Checks       int32  `json:"checks" api:"min=1,max=100"`
	StopWord     string `json:"stopWord" api:"minLength=1,maxLength=90"`
	CoffeeMaker  string `json:"coffeeMaker" api:"minLength=1,maxLength=90"`
}

// plural: renderfarms
type RenderFarm struct{}

// plural: repairshops
type RepairShop struct{}

type Union struct {
	Type          string      `json:"type" api:"enum=Recreate|RollingUpdate"`
	RollingUpdate *PartKeeper `json:"rollingUpdate,omitempty"`
}

type TaggedUnion struct {
	Type string      `json:"type" api:"discriminator,enum=Rail|Road"`
	Rail *PartKeeper `json:"rail,omitempty" api:"member"`
	Road *PartKeeper `json:"road,omitempty" api:"member"`
}

type Selector struct {
	MatchLabels  map[string]string `json:"matchLabels,omitempty" api:"maxProperties=64,values.maxLength=63"`
	Requirements []PartRequirement `json:"requirements,omitempty" api:"list=atomic,maxItems=64"`
}

type Defaults struct {
	Replicas *int32 `json:"replicas,omitempty" api:"default=1,min=0,max=100"`
	Enabled  *bool  `json:"enabled,omitempty" api:"default=true"`
	Size     string `json:"size,omitempty" api:"enum=Small|Large,default=Small"`
	Image    string `json:"image,omitempty" api:"minLength=1,maxLength=253,default=registry.example.com/widget"`
}

type StatusOfDeployment struct {
	ObservedGeneration int64               `json:"observedGeneration,omitempty"`
	ReadyReplicas      *int32              `json:"readyReplicas,omitempty" api:"min=0,max=100"`
	StartTime          *apimeta.Time       `json:"startTime,omitempty"`
	LoadBalancerIP     string              `json:"loadBalancerIP,omitempty" api:"format=ipv4"`
	Conditions         []apimeta.Condition `json:"conditions,omitempty" api:"list=map,key=type"`
}

type StatusOfOwnConditions struct {
	Conditions []PartCondition `json:"conditions,omitempty" api:"list=map,key=type"`
}

type PartCondition struct {
	Type               string       `json:"type" api:"minLength=1,maxLength=316"`
	Status             string       `json:"status" api:"enum=True|False|Unknown"`
	Reason             string       `json:"reason" api:"minLength=1,maxLength=1024,pattern='^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$'"`
	Message            string       `json:"message" api:"minLength=1,maxLength=32768"`
	LastTransitionTime apimeta.Time `json:"lastTransitionTime"`
	ObservedGeneration int64        `json:"observedGeneration,omitempty" api:"min=1,max=9007199254740991"`
}
