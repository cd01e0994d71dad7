// Shows two levels of a network side by side, and marks the lines that come from the same ONNX nodes.
(() => {
  const start = (root) => {
    const sections = [...root.querySelectorAll(".level")];
    const names = sections.map((section) => section.dataset.level);
    const panels = [names[0], names[names.length - 1]].map((chosen) => panel(sections, names, chosen));
    root.replaceChildren(...panels);
    root.classList.add("levels-ready");
    root.addEventListener("mouseover", (event) => mark(root, nodesOf(event.target)));
    root.addEventListener("mouseleave", () => mark(root, []));
    root.addEventListener("click", (event) => {
      const nodes = nodesOf(event.target);
      mark(root, nodes);
      for (const other of panels.filter((one) => !one.contains(event.target))) show(other, nodes);
    });
  };

  const panel = (sections, names, chosen) => {
    const element = document.createElement("div");
    element.className = "level-panel";
    const select = document.createElement("select");
    select.ariaLabel = "level";
    select.append(...names.map((name) => new Option(name, name, false, name === chosen)));
    const choose = () => {
      const section = sections[names.indexOf(select.value)].cloneNode(true);
      element.replaceChildren(select, section);
    };
    select.addEventListener("change", choose);
    choose();
    return element;
  };

  const nodesOf = (target) => (target.closest("[data-nodes]")?.dataset.nodes ?? "").split(" ").filter(Boolean);

  const shares = (line, nodes) => nodesOf(line).some((node) => nodes.includes(node));

  const mark = (root, nodes) => {
    for (const line of root.querySelectorAll(".level-line")) line.classList.toggle("marked", shares(line, nodes));
  };

  const show = (element, nodes) => {
    const code = element.querySelector(".level-code");
    const line = [...code.querySelectorAll("[data-nodes]")].find((one) => shares(one, nodes));
    if (line) code.scrollTop += line.getBoundingClientRect().top - code.getBoundingClientRect().top;
  };

  for (const root of document.querySelectorAll(".levels")) start(root);
})();
