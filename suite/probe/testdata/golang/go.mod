module suite

go 1.24

require github.com/stretchr/testify v1.11.1
