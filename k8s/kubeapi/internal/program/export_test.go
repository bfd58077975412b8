package program

var (
	NewFolder         = newFolder
	RemoveLeftFolders = removeLeftFolders
)
