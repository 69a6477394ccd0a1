// The client of the official TypeScript SDK 2.x: `node second_sdk_client.mjs MODE COMMAND…` prints what it has seen.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [mode, command, ...args] = process.argv.slice(2);
const capabilities = { sampling: {}, elicitation: {}, roots: {} };
const client = new Client({ name: 'second-sdk', version: '2' }, { capabilities, versionNegotiation: { mode } });
client.setRequestHandler('sampling/createMessage', async () => (
  { role: 'assistant', model: 'none', content: { type: 'text', text: 'Paris' } }));
client.setRequestHandler('elicitation/create', async request => {
  const fields = Object.entries(request.params.requestedSchema.properties);
  const value = field => (field.type === 'boolean' ? true : 'blue');
  return { action: 'accept', content: Object.fromEntries(fields.map(([name, field]) => [name, value(field)])) };
});
client.setRequestHandler('roots/list', async () => ({ roots: [{ uri: 'file:///here' }] }));
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
const call = (name, given = {}, options = undefined) => client.callTool({ name, arguments: given }, options);
const text = async (name, given) => (await call(name, given)).content.map(block => block.text).join('');
const tools = (await client.listTools()).tools;
const names = tools.map(tool => tool.name);
const progress = [];
await call('test_tool_with_progress', {}, { onprogress: each => progress.push(each.progress) });
const asked = [];
if (mode === 'legacy') {
  asked.push(await text('test_elicitation', { message: 'Well?' }), await text('test_sampling', { prompt: 'Where?' }));
} else {
  for (const name of ['elicitation', 'sampling', 'list_roots', 'multi_round', 'multiple_inputs']) {
    asked.push(await text(`test_input_required_result_${name}`));
  }
  asked.push(await text('test_streaming_elicitation'));
}
let unknown = null;
try { await client.readResource({ uri: 'test://nowhere' }); } catch (error) { unknown = error.code; }
const seen = {
  revision: client.getNegotiatedProtocolVersion?.() ?? null,
  server: client.getServerVersion().name,
  tools: names,
  text: await text('test_simple_text'),
  failed: (await call('test_error_handling')).isError,
  progress,
  asked,
  unknown,
  resource: JSON.parse((await client.readResource({ uri: 'test://template/7/data' })).contents[0].text),
  prompt: (await client.getPrompt({ name: 'test_prompt_with_arguments', arguments: { arg1: 'hello', arg2: 'world' } })).messages[0].content.text,
};
console.log(JSON.stringify(seen));
await client.close();
