import {expect, test} from 'vitest';
import {commands} from '../../commands/index.ts';
import {isNoun} from '../../src/command/context.ts';
import {insteadInShell, needSession} from '../../src/command/wrong-place.ts';

test.each([...Object.keys(insteadInShell), ...needSession])('%s is a command that the app alone has', name => {
	const entry = commands.find(each => each.name === name);
	const verbs = entry && (isNoun(entry) ? entry.verbs : [entry]);
	expect(verbs?.map(({where}) => where)).toEqual(verbs?.map(() => 'app'));
	expect(verbs).not.toHaveLength(0);
});
