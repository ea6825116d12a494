// The build and the test runner load Markdown as text.
declare module '*.md' {
	const text: string;
	export default text;
}
