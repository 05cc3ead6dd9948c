#include "Core/Model/Reading/Pickle.h"

#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Core/Model/Reading/PickleCalls.h"
#include "Core/Model/Reading/PickleStack.h"

#include <fmt/format.h>

namespace earshot::model::pickle {

namespace {

class Machine {
  public:
    Machine(Document& document, const std::string& file)
        : document_(document)
        , file_(file)
        , input_({document.bytes.data(), document.bytes.size()}) {}

    std::size_t position() const { return input_.position(); }

    void run() {
        while (true) {
            const auto opcode = static_cast<Opcode>(input_.byte());
            if (opcode == Opcode::stop) break;
            if (!literal(opcode) && !container(opcode) && !memo(opcode) && !object(opcode))
                throw Damaged(fmt::format("opcode 0x{:02x} is not one that PyTorch writes",
                                          static_cast<unsigned>(opcode)));
        }
        document_.root = stack_.pop();
    }

  private:
    void push(Ref ref) { stack_.push(ref); }
    void push(Value value) { stack_.push(store(document_, std::move(value))); }

    bool literal(Opcode opcode) {
        switch (opcode) {
        case Opcode::proto:
            if (const auto protocol = input_.byte(); protocol < 2 || protocol > 5)
                throw Damaged(fmt::format("pickle protocol {} is not supported", protocol));
            return true;
        case Opcode::frame:
            input_.take(8);
            return true; // the frame's length only helps to read ahead
        case Opcode::none:
            push(None{});
            return true;
        case Opcode::newTrue:
            push(Value(true));
            return true;
        case Opcode::newFalse:
            push(Value(false));
            return true;
        case Opcode::binInt:
            push(Value(std::int64_t{static_cast<std::int32_t>(input_.unsignedInteger(4))}));
            return true;
        case Opcode::binInt1:
            push(Value(static_cast<std::int64_t>(input_.unsignedInteger(1))));
            return true;
        case Opcode::binInt2:
            push(Value(static_cast<std::int64_t>(input_.unsignedInteger(2))));
            return true;
        case Opcode::long1:
            push(integer(input_.counted(1)));
            return true;
        case Opcode::long4:
            push(integer(input_.counted(4)));
            return true;
        case Opcode::binFloat:
            push(Value(input_.bigEndianDouble()));
            return true;
        case Opcode::shortBinUnicode:
        case Opcode::shortBinString:
            push(Text{input_.counted(1)});
            return true;
        case Opcode::binUnicode:
        case Opcode::binString:
            push(Text{input_.counted(4)});
            return true;
        case Opcode::binUnicode8:
            push(Text{input_.counted(8)});
            return true;
        case Opcode::shortBinBytes:
            push(Bytes{input_.counted(1)});
            return true;
        case Opcode::binBytes:
            push(Bytes{input_.counted(4)});
            return true;
        case Opcode::binBytes8:
        case Opcode::byteArray8:
            push(Bytes{input_.counted(8)});
            return true;
        default:
            return false;
        }
    }

    bool container(Opcode opcode) {
        switch (opcode) {
        case Opcode::mark:
            stack_.mark();
            return true;
        case Opcode::pop:
            stack_.popValueOrMark();
            return true;
        case Opcode::popMark:
            stack_.popToMark();
            return true;
        case Opcode::dup:
            push(stack_.top());
            return true;
        case Opcode::emptyTuple:
        case Opcode::emptyList:
        case Opcode::emptySet:
            push(Sequence{});
            return true;
        case Opcode::tuple1:
            push(Sequence{stack_.pop(1)});
            return true;
        case Opcode::tuple2:
            push(Sequence{stack_.pop(2)});
            return true;
        case Opcode::tuple3:
            push(Sequence{stack_.pop(3)});
            return true;
        case Opcode::tuple:
        case Opcode::list:
        case Opcode::frozenSet:
            push(Sequence{stack_.popToMark()});
            return true;
        case Opcode::append:
            append(stack_.pop(1));
            return true;
        case Opcode::appends:
        case Opcode::addItems:
            append(stack_.popToMark());
            return true;
        case Opcode::emptyDict:
            push(Dictionary{});
            return true;
        case Opcode::dict: {
            const auto items = stack_.popToMark();
            push(Dictionary{});
            assign(items);
            return true;
        }
        case Opcode::setItem:
            assign(stack_.pop(2));
            return true;
        case Opcode::setItems:
            assign(stack_.popToMark());
            return true;
        default:
            return false;
        }
    }

    bool memo(Opcode opcode) {
        switch (opcode) {
        case Opcode::binPut:
            stack_.remember(input_.unsignedInteger(1));
            return true;
        case Opcode::longBinPut:
            stack_.remember(input_.unsignedInteger(4));
            return true;
        case Opcode::memoize:
            stack_.rememberNext();
            return true;
        case Opcode::binGet:
            push(stack_.recall(input_.unsignedInteger(1)));
            return true;
        case Opcode::longBinGet:
            push(stack_.recall(input_.unsignedInteger(4)));
            return true;
        default:
            return false;
        }
    }

    bool object(Opcode opcode) {
        switch (opcode) {
        case Opcode::global: {
            const auto module = input_.line();
            push(global(module, input_.line()));
            return true;
        }
        case Opcode::stackGlobal: {
            const auto* name = document_.as<Text>(stack_.pop());
            const auto* module = document_.as<Text>(stack_.pop());
            if (name == nullptr || module == nullptr) throw Damaged("a global's name is not text");
            push(global(module->utf8, name->utf8));
            return true;
        }
        case Opcode::inst: {
            const auto module = input_.line();
            const auto callee = store(document_, global(module, input_.line()));
            push(call(document_, callee, store(document_, Sequence{stack_.popToMark()})));
            return true;
        }
        case Opcode::obj: {
            auto items = stack_.popToMark();
            if (items.empty()) throw Damaged("an object has no class");
            const auto callee = items.front();
            items.erase(items.begin());
            push(call(document_, callee, store(document_, Sequence{std::move(items)})));
            return true;
        }
        case Opcode::newObjEx:
            stack_.pop();
            [[fallthrough]]; // keyword arguments say nothing about tensors
        case Opcode::newObj:
        case Opcode::reduce: {
            const auto arguments = stack_.pop();
            push(call(document_, stack_.pop(), arguments));
            return true;
        }
        case Opcode::build:
            // Drops an object's attributes, such as the versions in a state dictionary's `_metadata`.
            stack_.pop();
            stack_.top();
            return true;
        case Opcode::binPersId:
            push(loadPersistent(document_, stack_.pop()));
            return true;
        default:
            return false;
        }
    }

    // Bounds the items of all containers: a pickle can put one stored value into containers many times.
    void countItems(std::size_t count) {
        items_ += count;
        if (items_ > 2 * maxValues) throw Damaged("its containers hold too many values");
    }

    void append(const std::vector<Ref>& items) {
        countItems(items.size());
        Value& target = document_.values[stack_.top()];
        if (auto* sequence = std::get_if<Sequence>(&target))
            sequence->items.insert(sequence->items.end(), items.begin(), items.end());
        else if (!std::holds_alternative<Opaque>(target))
            throw Damaged("values are appended to something that is no list");
    }

    void assign(const std::vector<Ref>& items) {
        if (items.size() % 2 != 0) throw Damaged("a dictionary's key has no value");
        countItems(items.size());
        Value& target = document_.values[stack_.top()];
        if (auto* dictionary = std::get_if<Dictionary>(&target))
            for (std::size_t i = 0; i < items.size(); i += 2)
                dictionary->entries.emplace_back(items[i], items[i + 1]);
        else if (!std::holds_alternative<Opaque>(target))
            throw Damaged("items are assigned to something that is no dictionary");
    }

    static Value integer(std::string_view bytes) {
        if (bytes.size() > sizeof(std::int64_t)) return Opaque{};
        std::uint64_t bits = !bytes.empty() && (bytes.back() & 0x80) != 0 ? ~std::uint64_t{0} : 0;
        for (std::size_t i = bytes.size(); i > 0; --i)
            bits = bits << 8 | static_cast<std::uint8_t>(bytes[i - 1]);
        return static_cast<std::int64_t>(bits);
    }

    Value global(std::string_view module, std::string_view name) const {
        constexpr std::size_t maxNameLength = 256; // bytes
        if (module.size() > maxNameLength || name.size() > maxNameLength)
            throw Damaged("a global's name is too long");
        const auto meaning = knownGlobal(module, name);
        if (!meaning)
            throw Error(fmt::format("{}: asks to run code that Earshot does not know ({}.{}), which was not "
                                    "done; if you trust the file, "
                                    "load it in PyTorch and torch.save() its state_dict alone",
                                    file_, printable(module), printable(name)));
        return Global{*meaning, module, name};
    }

    Document& document_;
    const std::string& file_;
    Input input_;
    Stack stack_;
    std::size_t items_ = 0; // put into containers so far
};

} // namespace

Document parse(std::vector<char> bytes, const std::string& file) {
    if (bytes.size() > maxPickleBytes)
        throw Error(fmt::format("{}: its description takes {} bytes, at most {} are read", file, bytes.size(),
                                maxPickleBytes));
    Document document;
    document.bytes = std::move(bytes);
    Machine machine(document, file);
    try {
        machine.run();
    } catch (const Damaged& damage) {
        throw Error(fmt::format("{}: its description (data.pkl) is damaged at byte {}: {}", file,
                                machine.position(), damage.what()));
    }
    return document;
}

} // namespace earshot::model::pickle
