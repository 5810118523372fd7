// Package importing writes imports into files of Python, beside those that they have.
package importing
