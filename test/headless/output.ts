/** Returns an output that keeps its text, as a pipe or a terminal of that width. */
export function output(columns?: number) {
	let written = '';
	return {
		write(data: string) {
			written += data;
			return true;
		},
		isTTY: columns !== undefined,
		...(columns !== undefined && {columns}),
		text: () => written,
	};
}
