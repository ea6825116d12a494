import fc from 'fast-check';
import {expect, test} from 'vitest';
import {valuesInFile} from '../../../src/agent/secret-values/values-in-file.ts';
import {expectLinear} from '../../growth.ts';

const pem = `-----BEGIN RSA PRIVATE KEY-----
MIIEowIBAAKCAQEA7bq98PzpqXv0fK3mN1cV5tZ8yWq2rLd4uHs6jGxAeRfTbIoP
QnMzXcVbLkJhGfDsAqWeRtYuIoPlKjHgFdSaZxCvBnMqWeRtYuIoPaSdFgHjKlZx
c2hvcnQ=
-----END RSA PRIVATE KEY-----`;

test.each<[string, string, string, readonly string[]]>([
	['an environment file', '.env', 'API_TOKEN=Zt81kQpW02mX', ['Zt81kQpW02mX']],
	['an export with a comment', '.env', 'export DB_PASSWORD=hunter2-two # the old one', ['hunter2-two']],
	['quotes and what they escape', '.env', 'SECRET="a\\"b c\\\\d-9"\r\n', ['a"b c\\d-9', 'a\\"b c\\\\d-9']],
	['single quotes', '.env', "DJANGO_SECRET_KEY='s3cr#t k=y'", ['s3cr#t k=y']],
	['several lines', '.env', 'SECRET_TEXT="first line\nsecond line"\nPORT=1', ['first line\nsecond line']],
	['spaces around the sign', '.env.local', 'STRIPE_SECRET = rkk_abc_123456', ['rkk_abc_123456']],
	['a password in a URL', '.env', 'DATABASE_URL=postgres://app:p%40ss-w0rd@db/app', ['p%40ss-w0rd', 'p@ss-w0rd']],
	['a webhook', '.env', 'SLACK=https://hooks.example/T00/B00/aB3dE6gH9jK2mN5pQ8sT', ['aB3dE6gH9jK2mN5pQ8sT']],
	['a random word with any name', '.env', 'STRIPE_LIVE=q1w2E3r4T5y6U7i8O9p0', ['q1w2E3r4T5y6U7i8O9p0']],
	['nested JSON', 'secrets.json', '{"db":{"main":{"password":"tall-horse"}}}', ['tall-horse']],
	[
		'a name above in JSON',
		'secrets.json',
		'{"secrets":{"mail":["tall-horse","wide-horse"]}}',
		['tall-horse', 'wide-horse'],
	],
	['escapes of JSON', 'credentials.json', '{"api_key":"a\\u002fb\\"c-tall"}', ['a/b"c-tall']],
	[
		'a service account',
		'service-account.json',
		JSON.stringify({private_key: pem}),
		['MIIEowIBAAKCAQEA7bq98PzpqXv0fK3mN1cV5tZ8yWq2rLd4uHs6jGxAeRfTbIoP'],
	],
	['nested YAML', 'secrets.yaml', 'db:\n  main:\n    password: tall-horse # here\n', ['tall-horse']],
	[
		'quoted names in YAML',
		'secrets.yml',
		'"db-main":\n  "pass word": x\n  \'api.key\': "tall-horse"\n',
		['tall-horse'],
	],
	['a list in YAML', 'secrets.yml', 'tokens:\n  - tall-horse\n  - "wide-horse"\n', ['tall-horse', 'wide-horse']],
	[
		'a block in YAML',
		'secrets.yml',
		'secret: |\n  tall horse\n  of two lines\nport: 1\n',
		['tall horse', 'of two lines'],
	],
	['a flow in YAML', 'secrets.yml', 'db: {user: app, password: "tall-horse"}\n', ['tall-horse']],
	[
		'the environment of a container',
		'secrets.yaml',
		'env:\n  - name: DB_PASSWORD\n    value: tall-horse\n',
		['tall-horse'],
	],
	[
		'data of Kubernetes',
		'secrets.yaml',
		'kind: Secret\ndata:\n  password: dGFsbC1ob3JzZQ==\n',
		['dGFsbC1ob3JzZQ==', 'tall-horse'],
	],
	[
		'TOML',
		'secrets.toml',
		'[database]\npassword = "tall-horse"\n[[x.tokens]]\nvalue = "wide-horse"\n',
		['tall-horse', 'wide-horse'],
	],
	[
		'a registry',
		'.npmrc',
		'//registry.example/:_authToken=tall-horse-1\n//b/:_password="d2lkZS1ob3JzZQ=="\n',
		['tall-horse-1', 'd2lkZS1ob3JzZQ==', 'wide-horse'],
	],
	['a login of a machine', '.netrc', 'machine a.example login me password tall-horse\n', ['tall-horse']],
	['a login over lines', '.netrc', 'machine a.example\n\tlogin me\n\tpassword tall-horse\nmachine b\n', ['tall-horse']],
	['a login of a database', '.pgpass', 'db.example:5432:app:me:tall\\:horse-1\n', ['tall:horse-1', 'tall\\:horse-1']],
	['a login of git', '.git-credentials', 'https://me:tall-horse@git.example\n', ['tall-horse']],
	[
		'a login of containers',
		'.docker/config.json',
		'{"auths":{"r.example":{"auth":"bWU6dGFsbC1ob3JzZQ=="}}}',
		['bWU6dGFsbC1ob3JzZQ==', 'tall-horse'],
	],
	[
		'the state of Terraform',
		'main.tfstate',
		'{"outputs":{"db":{"value":"wide-horse","sensitive":true}},"resources":[{"instances":[{"attributes":{"master_password":"tall-horse"}}]}]}',
		['tall-horse', 'wide-horse'],
	],
	[
		'variables of Terraform',
		'prod.tfvars',
		'db_password = "tall-horse"\ntokens = ["wide-horse", "deep-horse"]\nauth = {\n  secret = "long-horse"\n}\n',
		['tall-horse', 'wide-horse', 'deep-horse', 'long-horse'],
	],
	[
		'a cluster',
		'kubeconfig',
		'users:\n- name: me\n  user:\n    token: tall-horse\n    client-key-data: dGFsbC1ob3JzZQ==\n',
		['tall-horse', 'dGFsbC1ob3JzZQ=='],
	],
	['an index of packages', '.pypirc', '[pypi]\nusername = me\npassword: tall-horse\n', ['tall-horse']],
	[
		'settings of Maven',
		'.m2/settings.xml',
		'<server><id>a</id><password>tall-horse</password></server>',
		['tall-horse'],
	],
	[
		'a private key',
		'server.key',
		pem,
		[
			'MIIEowIBAAKCAQEA7bq98PzpqXv0fK3mN1cV5tZ8yWq2rLd4uHs6jGxAeRfTbIoP',
			'QnMzXcVbLkJhGfDsAqWeRtYuIoPlKjHgFdSaZxCvBnMqWeRtYuIoPaSdFgHjKlZx',
		],
	],
	[
		'passwords of a web server',
		'.htpasswd',
		'me:$apr1$x7Qm2kWz$Lq9vT4bN8cR1sY6dF3gH0/\n',
		['$apr1$x7Qm2kWz$Lq9vT4bN8cR1sY6dF3gH0/'],
	],
	['a token alone', '.vault-token', 'tall-horse-9\n', ['tall-horse-9']],
	[
		'settings of AWS',
		'.aws/credentials',
		'[default]\naws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n',
		['wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'],
	],
	['a mark of byte order', '.env', '\uFEFFDB_PASSWORD=tall-horse', ['tall-horse']],
	['a connection string', '.env', 'CONN="Server=h;User Id=sa;Password=tall-horse;"', ['tall-horse']],
	['JSON in a string', 'secrets.json', '{"config":"{\\"password\\":\\"tall-horse\\"}"}', ['tall-horse']],
	['JSON with comments', 'secrets.json', '// ours\n{"password": "tall-horse"}', ['tall-horse']],
	['a flow in a list of YAML', 'kubeconfig', 'users: [{name: a, user: {password: "tall-horse"}}]', ['tall-horse']],
	[
		'tags and anchors of YAML',
		'secrets.yml',
		'password: !!str tall-horse\ntoken: &x wide-horse\n',
		['tall-horse', 'wide-horse'],
	],
	['a list of passwords', 'secrets.yml', 'passwords:\n  - tall-horse\n', ['tall-horse']],
	['strings of Kubernetes', 'secrets.yaml', 'kind: Secret\nstringData:\n  app: tall-horse\n', ['tall-horse']],
	['a table on one line', 'secrets.toml', "db = {user = 'app', password = 'tall-horse'}", ['tall-horse']],
	[
		'attributes of XML',
		'credentials.xml',
		'<add key="ApiToken" value="tall-horse"/><a password="wide-horse"/>',
		['tall-horse', 'wide-horse'],
	],
	[
		'a resource of Terraform',
		'main.tfstate',
		'{"resources":[{"type":"random_password","instances":[{"attributes":{"result":"tall-horse"}}]}]}',
		['tall-horse'],
	],
])('[8] finds the secrets of %s', (_, path, text, secrets) => {
	expect(valuesInFile(path, text)).toEqual(expect.arrayContaining([...secrets]));
});

test.each<[string, string, string]>([
	['ordinary settings', '.env', 'NODE_ENV=production\nHOST=localhost\nPORT=3000\nDEBUG=true\nLOG_LEVEL=information'],
	['numbers and switches', '.env', 'TOKEN_TTL=86400000\nAUTH_ENABLED=true\nSECRET_ROTATION=disabled\nTOKEN_PORT=5432'],
	['places', '.env', 'SSL_KEY=/etc/ssl/private/server.key\nSECRETS=./config/secrets.yaml\nPRIVATE_KEY_PATH=keys/a.pem'],
	['addresses', '.env', 'AUTH_URL=https://login.example/oauth/token\nTOKEN_HOST=auth.example.com:8080'],
	[
		'names of users',
		'.env',
		'AUTH_USER=administrator-main\nSECRET_NAME=production-database\nSMTP_AUTH_EMAIL=me@mail.example',
	],
	[
		'references',
		'.env',
		'DB_PASSWORD=${VAULT_PASSWORD}\nTOKEN=$OTHER_TOKEN\nAPI_KEY=op://vault/item/field\nSECRET=<your secret here>',
	],
	[
		'what has to be filled in',
		'.env',
		'API_KEY=your-api-key-here\nSECRET=changeme\nTOKEN=xxxxxxxxxxxx\nPASSWORD=***********',
	],
	[
		'a password that is no secret',
		'.env',
		'POSTGRES_USER=shopkeeper\nPOSTGRES_PASSWORD=shopkeeper\nDB_PASSWORD=postgres',
	],
	['short values', '.env', 'PIN=1234\nDB_PASSWORD=abc'],
	[
		'identifiers',
		'main.tfstate',
		'{"lineage":"0f2c6c2e-7d0f-4a3e-9f61-0a3f1f4b2f11","resources":[{"instances":[{"attributes":{"arn":"arn:aws:ec2:eu:1:vpc/vpc-0a1b2c3d4e5f67890","vpc_id":"vpc-0a1b2c3d4e5f67890","ami":"ami-0a1b2c3d4e5f67890aa"}}]}]}',
	],
	['comments', '.env', '# API_TOKEN=tall-horse-1\n; SECRET=tall-horse-2'],
])('leaves %s alone', (_, path, text) => {
	expect(valuesInFile(path, text)).toEqual([]);
});

test('[8] finds the values alone', () => {
	expect(valuesInFile('.env', 'DB_PASSWORD=correct-horse-battery\n')).toEqual(['correct-horse-battery']);
	expect(valuesInFile('.htpasswd', 'me:$2y$10$abcdefghijkl\n')).not.toContain('me:$2y$10$abcdefghijkl');
});

test('never throws, and takes linear time for hostile files', () => {
	const part = fc.constantFrom(
		'"',
		"'",
		'"""',
		'{',
		'[',
		'=',
		':',
		' ',
		'\n',
		'-',
		'|',
		'\\',
		'password',
		'a',
		'://',
		'@',
		'-----BEGIN PRIVATE KEY-----',
		'%',
		'<a>',
		'\0',
	);
	fc.assert(
		fc.property(fc.array(part, {maxLength: 60}), parts => {
			valuesInFile('.env', parts.join(''));
			valuesInFile('x.tfstate', parts.join(''));
		}),
	);
	for (const piece of [
		'a="',
		'a="""',
		'password ',
		'-----BEGIN PRIVATE KEY-----A',
		'://a:b',
		'a:\n ',
		'<a>',
		'x=[',
		'\\',
		'{"a":',
		'A1b2',
		'a{\n',
		'a: |\n',
		'a="\n',
	]) {
		expectLinear(size => valuesInFile('.env', piece.repeat(size)), 400);
	}
});
