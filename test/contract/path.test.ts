import fc from 'fast-check';
import {expect, test} from 'vitest';
import {fillPath, matchPath} from '../../src/contract/path.ts';

const path = '/api/v1/org/:org/ws/:workspace';

test('parameters are inserted into a path and read back', () => {
	expect(fillPath(path, {org: 'acme', workspace: 'a b'})).toBe('/api/v1/org/acme/ws/a%20b');
	expect(matchPath(path, '/api/v1/org/acme/ws/a%20b')).toEqual({org: 'acme', workspace: 'a b'});
});

const segment = fc.string({minLength: 1}).filter(text => text !== '.' && text !== '..');

test('any parameter stays one segment and is read back unchanged', () => {
	fc.assert(
		fc.property(segment, segment, (org, workspace) => {
			const filled = fillPath(path, {org, workspace});
			const {pathname} = new URL(filled, 'http://127.0.0.1');
			expect(pathname.split('/')).toHaveLength(7);
			expect(matchPath(path, filled)).toEqual({org, workspace});
		}),
	);
});

test.each(['', '.', '..'])('“%s” is refused, because a URL cannot carry it as a segment', org => {
	expect(() => fillPath(path, {org, workspace: 'w'})).toThrow(expect.objectContaining({code: 'usage'}));
});

test.each(['/api/v1/org//ws/x', '/api/v1/org/a/ws', '/api/v1/org/a/ws/b/c', '/api/v1/org/%zz/ws/b', '/other'])(
	'%s does not fit',
	pathname => {
		expect(matchPath(path, pathname)).toBeUndefined();
	},
);
