// Lets search work in pages that a browser reads from files, where it starts no workers: their scripts run in a frame.
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      this.early = [];
      this.inside.postMessage = (data) => this.deliver(data);
      const script = frame.contentDocument.createElement("script");
      script.src = url;
      script.onload = () => this.start();
      frame.contentDocument.body.append(script);
    }

    start() {
      const messages = this.early;
      this.early = undefined;
      for (const data of messages) this.postMessage(data);
    }

    deliver(data) {
      const event = new MessageEvent("message", { data });
      this.dispatchEvent(event);
      this.onmessage?.(event);
    }

    postMessage(data) {
      if (this.early) this.early.push(data);
      else this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data }));
    }

    terminate() {}
  };
  window.Worker = window.IFrameWorker;
}
