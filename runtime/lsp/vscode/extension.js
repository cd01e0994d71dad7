// Client of `tilewright lsp`. Code lenses call commands that the server registers.
const { commands, workspace } = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

function start() {
  const settings = workspace.getConfiguration("tilewright");
  const server = {
    command: settings.get("command"),
    args: ["lsp", ...settings.get("arguments")],
    transport: TransportKind.stdio,
  };
  client = new LanguageClient("tilewright", "Tilewright", server, { documentSelector: [{ language: "mlir" }] });
  return client.start();
}

exports.activate = async (context) => {
  const restart = async () => {
    await client.stop();
    await start();
  };
  context.subscriptions.push(commands.registerCommand("tilewright.restart", restart));
  await start();
};

exports.deactivate = () => client?.stop();
