import {expect, test} from 'vitest';
import {indexPaths} from '../../../src/core/fuzzy-paths.ts';
import {completeMentions} from '../../../src/ui/line/line-mentions.ts';

const list = async () => indexPaths(['src/app.ts', 'test/apple.ts', 'README.md']);

test('only the mention that was asked about becomes what the user selected', async () => {
	const asked: string[] = [];
	const choose = async ({title}: {title: string}) => {
		asked.push(title.split('?')[0] ?? '');
		return title.includes('@app?') ? 'src/app.ts' : undefined;
	};
	const message = 'Mail me@app.example: why is @app, unlike @apple and @application, in @app?';
	expect(await completeMentions(message, {list, choose})).toBe(
		'Mail me@app.example: why is @src/app.ts, unlike @apple and @application, in @src/app.ts?',
	);
	expect(asked).toEqual(['Which file is @app', 'Which file is @apple']);
});
