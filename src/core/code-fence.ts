/** Returns text as a Markdown code block, fenced with more backticks than it holds in a row (CommonMark 0.31, section 4.5). */
export function codeFence(text: string, language = ''): string {
	const fence = '`'.repeat(Math.max(3, longestBackticks(text) + 1));
	return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`;
}

/** Returns the length of the longest run of backticks. */
export function longestBackticks(text: string): number {
	return (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
}
