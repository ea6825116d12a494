/** Sets raw mode if there is one. On a terminal that is gone it fails with EIO; then there is nothing left to set. */
export function setRawMode(stdin: {setRawMode?: (raw: boolean) => unknown}, raw: boolean): void {
	try {
		stdin.setRawMode?.(raw);
	} catch {
		// The next read fails in the same way, or ends.
	}
}
