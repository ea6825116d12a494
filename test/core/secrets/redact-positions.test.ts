import {expect, test} from 'vitest';
import {isSecretName, redactPositions, shownUrl} from '../../../src/core/secrets/redact-positions.ts';
import {expectLinear} from '../../growth.ts';

test.each([
	['PGPASSWORD=hunter22 psql -h db', 'PGPASSWORD=*** psql -h db'],
	['export API_TOKEN="two words"; run', 'export API_TOKEN="***"; run'],
	["deploy --token 'a1b2c3d4' --region eu", "deploy --token '***' --region eu"],
	['mysql --db-password=hunter22 shop', 'mysql --db-password=*** shop'],
	['curl -u ada:hunter22 https://x.test', 'curl -u ada:*** https://x.test'],
	['curl --user "ada:hunter 22" https://x.test', 'curl --user "ada:*** 22" https://x.test'],
	['git clone https://ada:hunter22@x.test/a.git', 'git clone https://ada:***@x.test/a.git'],
	['curl -H "X-Api-Key: a1b2c3d4" https://x.test', 'curl -H "X-Api-Key: ***" https://x.test'],
	["curl -H 'Authorization: Bearer a1b2c3d4e5'", "curl -H 'Authorization: ***'"],
	['wget "https://x.test/?page=2&access_token=a1b2c3d4"', 'wget "https://x.test/?page=2&access_token=***"'],
	['echo bearer a1b2c3d4e5', 'echo bearer ***'],
])('[8] %j is kept as %j', (command, kept) => {
	expect(redactPositions(command)).toBe(kept);
});

test.each([
	'curl -H "Authorization: Bearer $TOKEN" https://x.test',
	'PGPASSWORD=$(cat /run/secret) psql',
	'grep -rn "token: string" src',
	'git commit -m "Add basic authentication"',
	'docker run -u 1000:1000 image',
	'git clone git@x.test:a/b.git',
	'echo "the secret of a good password = length"',
	'npm run tokens -- --tokenizer fast',
])('[8] %j stays as it is', command => {
	expect(redactPositions(command)).toBe(command);
});

test.each(['authorization', 'X-Api-Key', 'api_key', 'db-password', 'Cookie'])(
	'[8] the value of %s is a credential',
	name => {
		expect(isSecretName(name)).toBe(true);
	},
);

test.each(['command', 'tokens', 'accept', 'old_text', 'path'])('the value of %s is any text', name => {
	expect(isSecretName(name)).toBe(false);
});

test.each(['--token ', 'TOKEN=', '://a:', '-H token: ', 'bearer a', '-u a:', 'token', '--', 'a'])(
	'a line of nothing but %j is read in linear time',
	piece => {
		expectLinear(size => redactPositions(piece.repeat(size / piece.length)), 8000);
	},
);

test.each([
	['https://api.openai.com/v1', 'https://api.openai.com/v1'],
	['https://x.example/v1?key=abc&api-version=2025-01-01', 'https://x.example/v1?key=***&api-version=2025-01-01'],
	['https://x.example/v1?abc', 'https://x.example/v1?***'],
	['https://x.example/v1?a=b=c?d&&=', 'https://x.example/v1?a=***&&='],
	['https://x.example/mcp?key=${KEY}&team=', 'https://x.example/mcp?key=${KEY}&team='],
	['https://me:hunter22@x.example/', 'https://me:***@x.example/'],
	['not a URL?token=abcdef', 'not a URL?token=***'],
])('[8] %s is shown as %s', (url, shown) => {
	expect(shownUrl(url)).toBe(shown);
});
