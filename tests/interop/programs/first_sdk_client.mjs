// The client of the official TypeScript SDK 1.x: `node first_sdk_client.mjs COMMAND…` prints what it has seen of a server.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema, LoggingMessageNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';

const [command, ...args] = process.argv.slice(2);
const capabilities = { sampling: {}, elicitation: {}, roots: {} };
const client = new Client({ name: 'first-sdk', version: '1' }, { capabilities });
const logged = [];
const progress = [];
client.setRequestHandler(CreateMessageRequestSchema, async () => (
  { role: 'assistant', model: 'none', content: { type: 'text', text: 'Paris' } }));
client.setRequestHandler(ElicitRequestSchema, async request => {
  const fields = Object.entries(request.params.requestedSchema.properties);
  return { action: 'accept', content: Object.fromEntries(fields.map(([name, field]) => [name, field.default ?? 'blue'])) };
});
client.setRequestHandler(ListRootsRequestSchema, async () => ({ roots: [{ uri: 'file:///here' }] }));
client.setNotificationHandler(LoggingMessageNotificationSchema, message => { logged.push(message.params.data); });
let revision = null;
const transport = new StdioClientTransport({ command, args, env: process.env });
transport.setProtocolVersion = version => { revision = version; };
await client.connect(transport);
const call = (name, given = {}, options = undefined) => client.callTool({ name, arguments: given }, undefined, options);
const text = async (name, given) => (await call(name, given)).content.map(block => block.text).join('');
await client.setLoggingLevel('info');
await client.ping();
const tools = (await client.listTools()).tools;
await call('test_tool_with_progress', {}, { onprogress: each => progress.push(each.progress) });
await text('test_tool_with_logging');
let unknown = null;
try { await client.readResource({ uri: 'test://nowhere' }); } catch (error) { unknown = error.code; }
await client.subscribeResource({ uri: 'test://watched-resource' });
await client.unsubscribeResource({ uri: 'test://watched-resource' });
const reference = { type: 'ref/prompt', name: 'test_prompt_with_arguments' };
const seen = {
  revision,
  server: client.getServerVersion().name,
  tools: tools.map(tool => tool.name),
  text: await text('test_simple_text'),
  failed: (await call('test_error_handling')).isError,
  progress,
  logged,
  asked: [
    await text('test_elicitation', { message: 'Well?' }),
    await text('test_sampling', { prompt: 'Where?' }),
    await text('test_elicitation_sep1034_defaults'),
  ],
  unknown,
  resource: JSON.parse((await client.readResource({ uri: 'test://template/7/data' })).contents[0].text),
  resources: (await client.listResources()).resources.map(each => each.uri),
  prompt: (await client.getPrompt({ name: reference.name, arguments: { arg1: 'hello', arg2: 'world' } })).messages[0].content.text,
  completed: (await client.complete({ ref: reference, argument: { name: 'arg1', value: 'h' } })).completion.values,
};
console.log(JSON.stringify(seen));
await client.close();
