import type {Result} from '../result.ts';
import type {Topic} from './topics.ts';

/** Returns the page of a topic. It loads pages and renderer with the first page that is asked for. */
export async function topicResult({name, summary}: Topic): Promise<Extract<Result, {kind: 'page'}>> {
	const [{pageOf}, {renderMarkdown}] = await Promise.all([
		import('./pages.ts'),
		import('../../terminal/markdown/markdown.ts'),
	]);
	const markdown = pageOf(name);
	return {kind: 'page', markdown, draw: renderMarkdown, data: {topic: name, summary, text: markdown}};
}
