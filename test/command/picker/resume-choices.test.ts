import {expect, test} from 'vitest';
import {seenText} from '../../../src/command/picker/resume-choices.ts';

const id = '0b5e0a1c-9c1f-4d4e-8b57-0123456789ab';
const seen = {profile: 'lab', server: 'https://lab.test', org: 'acme', workspace: 'lab', at: '2026-11-23T10:00:00Z'};
const textOf = (state: string, expires_at: string) =>
	seenText({kind: 'environment', id, ...seen, shown: {id, state, task_ref: 'web-shop', expires_at}});

test.each([
	['ready', '2999-01-01T00:00:00Z', /^web-shop · ready · expires 2999-01-01$/],
	['ready', '2020-01-01T00:00:00Z', /^web-shop · ready · expired$/],
	['torn_down', '2999-01-01T00:00:00Z', /^web-shop · torn_down$/],
	['failed', '2999-01-01T00:00:00Z', /^web-shop · failed$/],
])('a sandbox that is %s and expires %s says when it ends only if it has not ended', (state, expiresAt, text) => {
	expect(textOf(state, expiresAt)).toMatch(text);
});
